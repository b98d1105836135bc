-- Steps that come before their turn are passed over; rows of no step end the chain as before.
CREATE TABLE funnel (user UInt8, at UInt32, event String) ENGINE = MergeTree ORDER BY (user, at);
INSERT INTO funnel VALUES (1, 1, 'search'), (1, 2, 'pay'), (1, 3, 'cart'), (1, 4, 'pay'), (2, 1, 'search'), (2, 2, 'help'), (2, 3, 'cart');
SELECT user, windowFunnel(10, 'strict_order')(at, event = 'search', event = 'cart', event = 'pay') AS strict,
    windowFunnel(10, 'strict_order', 'allow_reentry')(at, event = 'search', event = 'cart', event = 'pay') AS again
FROM funnel GROUP BY user ORDER BY user;
-- error: BAD_ARGUMENTS
SELECT windowFunnel(10, 'allow_reentry')(at, event = 'search', event = 'cart') FROM funnel;
