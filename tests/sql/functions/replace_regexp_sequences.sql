SELECT replaceRegexpOne('https://www.example.com/path?q=1', '^https?://(?:www\\.)?([^/]+)/.*$', '\\1');
SELECT arrayMap(x -> replaceRegexpOne(x, '^https?://(?:www\\.)?([^/]+)/.*$', '<\\1>'), ['http://www./x', 'http://www.a/', 'https://b', 'ftp://c/', '', 'http:///', 'http://é.fr/ü', 'x http://a/']);
SELECT arrayMap(x -> replaceRegexpAll(x, '^(?:https?://)?(?:www\\.)?([^/]+)', '[\\1|\\0]'), ['http://www.a/b', 'www.a', 'a/www.a', '/a', '']);
SELECT arrayMap(x -> replaceRegexpOne(x, '^([a-z]+)=([^&]*)&.*', '\\2=\\1'), ['k=v&w=x', 'k=&', 'k=v', '=v&', 'kk=v&&&']);
SELECT replaceRegexpOne('a\nb/c\nd', '^([^/]+)/.*$', '\\1'), replaceRegexpAll('aa/aa/aa', '^(a*)/', '-\\1-');
SELECT hex(replaceRegexpOne(unhex('687474703A2F2F61FF2F62'), '^http://([a-z]+).*', '\\1'));
SELECT sum(cityHash64(replaceRegexpOne(concat('http://', if(number % 3 = 0, 'www.', ''), 'host', toString(number % 100), if(number % 5 = 0, '', '/p')), '^https?://(?:www\\.)?([^/]+)/.*$', '\\1'))) FROM numbers(10000);
