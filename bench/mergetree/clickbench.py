"""ClickBench's 43 queries, as published (github.com/ClickHouse/ClickBench, clickhouse/queries.sql).

What stands in braces is not in them: a LIMIT without a total order lets an engine choose among equal rows, so the answers
that are compared come from the queries with it, and the times from those without.
"""

import re

WIDTHS = ", ".join(f"SUM(ResolutionWidth{f' + {more}' if more else ''})" for more in range(90))
JULY = "EventDate >= '2013-07-01' AND EventDate <= '2013-07-31'"
HOST = r"REGEXP_REPLACE(Referer, '^https?://(?:www\\.)?([^/]+)/.*$', '\\1')"

WRITTEN = [
    "SELECT COUNT(*) FROM hits",
    "SELECT COUNT(*) FROM hits WHERE AdvEngineID <> 0",
    "SELECT SUM(AdvEngineID), COUNT(*), AVG(ResolutionWidth) FROM hits",
    "SELECT AVG(UserID) FROM hits",
    "SELECT COUNT(DISTINCT UserID) FROM hits",
    "SELECT COUNT(DISTINCT SearchPhrase) FROM hits",
    "SELECT MIN(EventDate), MAX(EventDate) FROM hits",
    "SELECT AdvEngineID, COUNT(*) FROM hits WHERE AdvEngineID <> 0 GROUP BY AdvEngineID ORDER BY COUNT(*) DESC{, AdvEngineID}",
    "SELECT RegionID, COUNT(DISTINCT UserID) AS u FROM hits GROUP BY RegionID ORDER BY u DESC{, RegionID} LIMIT 10",
    "SELECT RegionID, SUM(AdvEngineID), COUNT(*) AS c, AVG(ResolutionWidth), COUNT(DISTINCT UserID) FROM hits "
    "GROUP BY RegionID ORDER BY c DESC{, RegionID} LIMIT 10",
    "SELECT MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' "
    "GROUP BY MobilePhoneModel ORDER BY u DESC{, MobilePhoneModel} LIMIT 10",
    "SELECT MobilePhone, MobilePhoneModel, COUNT(DISTINCT UserID) AS u FROM hits WHERE MobilePhoneModel <> '' "
    "GROUP BY MobilePhone, MobilePhoneModel ORDER BY u DESC{, MobilePhone, MobilePhoneModel} LIMIT 10",
    "SELECT SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC{, SearchPhrase} LIMIT 10",
    "SELECT SearchPhrase, COUNT(DISTINCT UserID) AS u FROM hits WHERE SearchPhrase <> '' "
    "GROUP BY SearchPhrase ORDER BY u DESC{, SearchPhrase} LIMIT 10",
    "SELECT SearchEngineID, SearchPhrase, COUNT(*) AS c FROM hits WHERE SearchPhrase <> '' "
    "GROUP BY SearchEngineID, SearchPhrase ORDER BY c DESC{, SearchEngineID, SearchPhrase} LIMIT 10",
    "SELECT UserID, COUNT(*) FROM hits GROUP BY UserID ORDER BY COUNT(*) DESC{, UserID} LIMIT 10",
    "SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase ORDER BY COUNT(*) DESC{, UserID, SearchPhrase} LIMIT 10",
    "SELECT UserID, SearchPhrase, COUNT(*) FROM hits GROUP BY UserID, SearchPhrase{ ORDER BY UserID, SearchPhrase} LIMIT 10",
    "SELECT UserID, extract(minute FROM EventTime) AS m, SearchPhrase, COUNT(*) FROM hits "
    "GROUP BY UserID, m, SearchPhrase ORDER BY COUNT(*) DESC{, UserID, m, SearchPhrase} LIMIT 10",
    "SELECT UserID FROM hits WHERE UserID = 435090932899640449",
    "SELECT COUNT(*) FROM hits WHERE URL LIKE '%google%'",
    "SELECT SearchPhrase, MIN(URL), COUNT(*) AS c FROM hits WHERE URL LIKE '%google%' AND SearchPhrase <> '' "
    "GROUP BY SearchPhrase ORDER BY c DESC{, SearchPhrase} LIMIT 10",
    "SELECT SearchPhrase, MIN(URL), MIN(Title), COUNT(*) AS c, COUNT(DISTINCT UserID) FROM hits "
    "WHERE Title LIKE '%Google%' AND URL NOT LIKE '%.google.%' AND SearchPhrase <> '' GROUP BY SearchPhrase ORDER BY c DESC{, SearchPhrase} LIMIT 10",
    "SELECT * FROM hits WHERE URL LIKE '%google%' ORDER BY EventTime{, WatchID} LIMIT 10",
    "SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime{, WatchID} LIMIT 10",
    "SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY SearchPhrase LIMIT 10",
    "SELECT SearchPhrase FROM hits WHERE SearchPhrase <> '' ORDER BY EventTime, SearchPhrase LIMIT 10",
    "SELECT CounterID, AVG(length(URL)) AS l, COUNT(*) AS c FROM hits WHERE URL <> '' "
    "GROUP BY CounterID HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25",
    f"SELECT {HOST} AS k, AVG(length(Referer)) AS l, COUNT(*) AS c, MIN(Referer) FROM hits WHERE Referer <> '' "
    "GROUP BY k HAVING COUNT(*) > 100000 ORDER BY l DESC LIMIT 25",
    f"SELECT {WIDTHS} FROM hits",
    "SELECT SearchEngineID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' "
    "GROUP BY SearchEngineID, ClientIP ORDER BY c DESC{, SearchEngineID, ClientIP} LIMIT 10",
    "SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits WHERE SearchPhrase <> '' "
    "GROUP BY WatchID, ClientIP ORDER BY c DESC{, WatchID, ClientIP} LIMIT 10",
    "SELECT WatchID, ClientIP, COUNT(*) AS c, SUM(IsRefresh), AVG(ResolutionWidth) FROM hits "
    "GROUP BY WatchID, ClientIP ORDER BY c DESC{, WatchID, ClientIP} LIMIT 10",
    "SELECT URL, COUNT(*) AS c FROM hits GROUP BY URL ORDER BY c DESC{, URL} LIMIT 10",
    "SELECT 1, URL, COUNT(*) AS c FROM hits GROUP BY 1, URL ORDER BY c DESC{, URL} LIMIT 10",
    "SELECT ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3, COUNT(*) AS c FROM hits "
    "GROUP BY ClientIP, ClientIP - 1, ClientIP - 2, ClientIP - 3 ORDER BY c DESC{, ClientIP} LIMIT 10",
    f"SELECT URL, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND DontCountHits = 0 AND IsRefresh = 0 "
    "AND URL <> '' GROUP BY URL ORDER BY PageViews DESC{, URL} LIMIT 10",
    f"SELECT Title, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND DontCountHits = 0 AND IsRefresh = 0 "
    "AND Title <> '' GROUP BY Title ORDER BY PageViews DESC{, Title} LIMIT 10",
    f"SELECT URL, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND IsRefresh = 0 AND IsLink <> 0 "
    "AND IsDownload = 0 GROUP BY URL ORDER BY PageViews DESC{, URL} LIMIT 10 OFFSET 1000",
    "SELECT TraficSourceID, SearchEngineID, AdvEngineID, CASE WHEN (SearchEngineID = 0 AND AdvEngineID = 0) THEN Referer ELSE '' END AS Src, "
    f"URL AS Dst, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND IsRefresh = 0 "
    "GROUP BY TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst "
    "ORDER BY PageViews DESC{, TraficSourceID, SearchEngineID, AdvEngineID, Src, Dst} LIMIT 10 OFFSET 1000",
    f"SELECT URLHash, EventDate, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND IsRefresh = 0 "
    "AND TraficSourceID IN (-1, 6) AND RefererHash = 3594120000172545465 "
    "GROUP BY URLHash, EventDate ORDER BY PageViews DESC{, URLHash, EventDate} LIMIT 10 OFFSET 100",
    f"SELECT WindowClientWidth, WindowClientHeight, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND {JULY} AND IsRefresh = 0 "
    "AND DontCountHits = 0 AND URLHash = 2868770270353813622 GROUP BY WindowClientWidth, WindowClientHeight "
    "ORDER BY PageViews DESC{, WindowClientWidth, WindowClientHeight} LIMIT 10 OFFSET 10000",
    "SELECT DATE_TRUNC('minute', EventTime) AS M, COUNT(*) AS PageViews FROM hits WHERE CounterID = 62 AND EventDate >= '2013-07-14' "
    "AND EventDate <= '2013-07-15' AND IsRefresh = 0 AND DontCountHits = 0 "
    "GROUP BY DATE_TRUNC('minute', EventTime) ORDER BY DATE_TRUNC('minute', EventTime) LIMIT 10 OFFSET 1000",
]
IN_BRACES = re.compile(r"\{([^}]*)\}")

# The queries as they are timed, and as their answers are compared.
TIMED = [IN_BRACES.sub("", query) for query in WRITTEN]
COMPARED = [IN_BRACES.sub(r"\1", query) for query in WRITTEN]
