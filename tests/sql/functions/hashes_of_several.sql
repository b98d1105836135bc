SELECT farmFingerprint64('a', 'b'), farmFingerprint64('a'), farmFingerprint64(1, 'b'), farmFingerprint64(['e', 'x', 'a'], 'mple', 10);
SELECT hex(murmurHash3_128('a', 'b')), hex(murmurHash3_128('a')), hex(murmurHash3_128(1, 'b')), hex(murmurHash3_128([1, 2])), hex(murmurHash3_128()), murmurHash3_128('a', NULL);
SELECT halfMD5('a', 'b'), halfMD5(['e', 'x', 'a'], 'mple', 10), halfMD5(1), halfMD5(1, 2), halfMD5([1, 2]), halfMD5((1, 'a')), halfMD5(NULL), halfMD5(), halfMD5('a', toNullable(1));
