-- Read in Joda's letters, names are short or long and zones have any name; an era is AD, however many letters ask for it.
SELECT parseDateTimeInJodaSyntax('AD 2020', 'GGGG yyyy', 'UTC'), parseDateTimeInJodaSyntax('2020 ad', 'yyyy G', 'UTC');
SELECT parseDateTimeInJodaSyntax('2020 feb', 'yyyy MMMM', 'UTC'), parseDateTimeInJodaSyntax('2020 February', 'yyyy MMM', 'UTC');
SELECT parseDateTimeInJodaSyntax('Tuesday, 03 March 2020', 'EEE, dd MMM yyyy', 'UTC'), parseDateTimeInJodaSyntax('Tue, 03 Mar 2020', 'EEEE, dd MMMM yyyy', 'UTC');
SELECT parseDateTimeInJodaSyntax('2020-01-02 10:20:30 Europe/Berlin', 'yyyy-MM-dd HH:mm:ss z', 'UTC');
SELECT parseDateTimeInJodaSyntax('2020-01-02 10:20:30 CET', 'yyyy-MM-dd HH:mm:ss zzz', 'UTC');
SELECT parseDateTimeInJodaSyntax('Tue, 03 Mar 2020 10:00:00 GMT', 'EEE, dd MMM yyyy HH:mm:ss z', 'Europe/Berlin');
SELECT formatDateTimeInJodaSyntax(toDateTime('2020-01-02 10:20:30', 'UTC'), 'GGGG G yyyy');
-- error: NOT_IMPLEMENTED
SELECT formatDateTimeInJodaSyntax(toDateTime('2020-01-02 10:20:30', 'UTC'), 'z');
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTimeInJodaSyntax('Anno Domini 2020', 'GGGG yyyy', 'UTC');
-- error: CANNOT_PARSE_DATETIME
SELECT parseDateTime('2020 February', '%Y %b', 'UTC');
