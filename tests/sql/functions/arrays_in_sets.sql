SELECT materialize([1, 2]) IN ([1, 2]), materialize([1, 2]) IN [[1, 2]], materialize([1, 2]) IN ([1, 2], [3]), materialize([1]) IN ([1, 2]), materialize([1]) NOT IN ([1, 2]);
SELECT mapKeys(materialize(map('a', 1))) IN ([]), mapKeys(materialize(map())) IN ([]), mapKeys(materialize(map('a', 1))) IN (['a']), mapKeys(materialize(map('a', 1))) NOT IN ([]);
SELECT materialize([]::Array(UInt8)) IN ([]), materialize([]::Array(UInt8)) NOT IN ([]), materialize([5]) NOT IN ([]);
SELECT materialize(1) IN ([1, 2]), materialize(3) IN [1, 2], materialize('a') IN (['a']), 1 IN [];
