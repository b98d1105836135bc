SELECT arrayShuffle([1, 2, 3, 4, 5, 6, 7, 8], 42), arrayShuffle([1, 2, 3], 0), arrayShuffle(['a', 'b', 'c', 'd'], 12345), arrayShuffle(range(20), 18446744073709551615);
SELECT arrayShuffle(range(number + 3), 42) FROM numbers(5) SETTINGS max_threads = 1;
SELECT arrayShuffle(range(300), 5), arrayShuffle([1, NULL, 3, 4, 5, 6, 7, 8], 42), arrayShuffle([(1, 'a'), (2, 'b'), (3, 'c')], 42), arrayShuffle([[1], [2, 3], [4]], -1);
SELECT arrayShuffle(emptyArrayUInt8(), 42), arrayShuffle([1], 42), arrayShuffle([toFixedString('a', 1), toFixedString('b', 1), toFixedString('c', 1)], 42), arrayShuffle([1, 2, 3], NULL);
SELECT arrayPartialShuffle([1, 2, 3, 4, 5, 6, 7, 8], 3, 42), arrayPartialShuffle([1, 2, 3, 4, 5, 6, 7, 8], 0, 42), arrayPartialShuffle([1, 2, 3, 4, 5, 6, 7, 8], 8, 42), arrayPartialShuffle([1, 2, 3, 4, 5, 6, 7, 8], 20, 42), arrayPartialShuffle([1, 2, 3, 4, 5, 6, 7, 8], -1, 42);
SELECT arrayPartialShuffle(range(number + 3), 2, 7) FROM numbers(5) SETTINGS max_threads = 1;
SELECT arrayPartialShuffle(range(5), 1, 42), arrayPartialShuffle(range(5), 4, 42), arrayPartialShuffle(['a', 'b', 'c', 'd', 'e'], 2, 5);
SELECT arraySort(arrayShuffle(range(10))), length(arrayRandomSample(range(10), 3));
-- error: ILLEGAL_COLUMN
SELECT arrayShuffle(range(8), number) FROM numbers(3);
