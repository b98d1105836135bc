-- A condition that is NULL itself: If lets no row pass, and below OrNull or OrDefault there is nothing but NULL.
SELECT avgIfOrDefault(number, NULL), sumIfOrNull(number, NULL), sumIfOrDefault(number, NULL), avgIfOrNull(number, NULL) FROM numbers(3);
SELECT toTypeName(avgIfOrDefault(number, NULL)), toTypeName(sumIfOrNull(number, NULL)), toTypeName(sumIfOrDefault(number, NULL)), toTypeName(avgIfOrNull(number, NULL)) FROM numbers(3);
SELECT countIfOrNull(NULL), countIfOrDefault(NULL), uniqIfOrNull(number, NULL), uniqIfOrDefault(number, NULL), uniqExactIfOrNull(number, NULL), toTypeName(countIfOrNull(NULL)), toTypeName(uniqIfOrNull(number, NULL)) FROM numbers(3);
SELECT groupArrayIfOrDefault(number, NULL), quantilesIfOrDefault(0.5)(number, NULL), quantilesIfOrNull(0.5)(number, NULL), toTypeName(quantilesIfOrDefault(0.5)(number, NULL)) FROM numbers(3);
SELECT number % 2 AS k, avgIfOrDefault(number, NULL), minIfOrDefault(toString(number), NULL) FROM numbers(3) GROUP BY k ORDER BY k;
SELECT avgOrDefaultIf(number, NULL), sumOrNullIf(number, NULL), sumIf(number, NULL), avgIf(number, NULL), anyIfOrDefault(number, NULL), argMinIfOrDefault(number, number, NULL) FROM numbers(3);
SELECT avgIfOrDefault(number, NULL) OVER () FROM numbers(2);
SELECT avgArrayIfOrDefault([number], NULL) FROM numbers(2);
