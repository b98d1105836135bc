SELECT quantilesTDigestArray(0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)(arrayResize(arrayResize([0], 5000, inf), 10000, -inf));
SELECT quantilesTDigest(0.5)(x) FROM (SELECT inf * (number % 2 - 0.5) AS x FROM numbers(300));
SELECT quantileTDigest(inf), quantileTDigest(-inf), quantilesTDigest(0.1, 0.9)(if(number < 250, -inf, inf)) FROM numbers(500);
SELECT quantilesTDigest(0.01, 0.5, 0.9, 0.99)(number) FROM numbers(1000);
