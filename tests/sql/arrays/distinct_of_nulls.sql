-- NULLs are no values, be there nothing else.
SELECT arrayDistinct([NULL, NULL]) AS a, toTypeName(a), length(a), arrayDistinct([1, NULL, 1]), arrayDistinct([]);
SELECT firstLine('a\rb\nc'), firstLine('a\r\nb'), firstLine('a\nb'), firstLine('');
