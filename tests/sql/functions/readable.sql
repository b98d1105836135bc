SELECT formatReadableSize(0), formatReadableSize(1023), formatReadableSize(1024), formatReadableSize(1073741824), formatReadableSize(192851925);
SELECT formatReadableQuantity(0), formatReadableQuantity(1024), formatReadableQuantity(1234567890), formatReadableQuantity(59820000);
SELECT formatReadableTimeDelta(59), formatReadableTimeDelta(3600);
SELECT formatReadableTimeDelta(432546534);
SELECT bar(1, 0, 10, 10), bar(10, 0, 10, 10), bar(5.5, 0, 10, 5);
SELECT formatReadableSize(number * 1000) FROM numbers(3);
SELECT formatReadableTimeDelta(3888000), formatReadableTimeDelta(31536000), formatReadableTimeDelta(2635200), formatReadableTimeDelta(-100);
