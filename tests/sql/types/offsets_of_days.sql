-- Behind a date six digits are a time, and fewer are the offset of a zone.
SELECT parseDateTimeBestEffort('20220101-010203', 'UTC'), parseDateTimeBestEffort('20220101+010203', 'UTC');
SELECT parseDateTimeBestEffort('20220101+0102', 'UTC'), parseDateTimeBestEffort('20220101-0102', 'UTC');
SELECT parseDateTimeBestEffort('2022-01-01+01', 'UTC'), parseDateTimeBestEffort('20220101 +01:30', 'UTC');
SELECT parseDateTimeBestEffort('20220101+010203+0100', 'UTC');
SELECT parseDateTimeBestEffortOrNull('20220101+01020', 'UTC');
