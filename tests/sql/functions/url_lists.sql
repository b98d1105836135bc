-- error: TLD_LIST_NOT_FOUND
SELECT firstSignificantSubdomainCustom('https://news.example.com', 'public_suffix_list');
-- error: NUMBER_OF_ARGUMENTS_DOESNT_MATCH
SELECT firstSignificantSubdomainCustom('https://news.example.com');
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT firstSignificantSubdomainCustom('https://news.example.com', 5);
-- error: ILLEGAL_COLUMN
SELECT firstSignificantSubdomainCustom('https://news.example.com', materialize('a'));
