SELECT name, default, type, tier FROM system.settings WHERE name IN ('http_receive_timeout', 'http_send_timeout', 'receive_timeout', 'send_timeout') ORDER BY name;
SELECT getSetting('send_timeout'), getSetting('http_send_timeout') SETTINGS send_timeout = 7, http_send_timeout = 1.5;
