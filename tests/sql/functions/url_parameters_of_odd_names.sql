-- The name of a parameter may have the marks that end others.
SELECT extractURLParameter('http://x/?a&b=1', 'a&b'), extractURLParameter('http://x/?a#b=1&c=2', 'a#b'), extractURLParameter('?=1', '');
SELECT cutURLParameter('http://x/?a&b=1&c=2', 'a&b'), cutURLParameter('http://x/?b=1&a&b=1#b=3', 'a&b'), cutURLParameter('http://x/?a#b=1#c=2', 'a#b');
SELECT cutURLParameter('http://x/?z=0&a&b=1', ['a&b', 'z']);
