SET max_rand_distribution_trials = 100, max_rand_distribution_parameter = 50;
-- error: BAD_ARGUMENTS
SELECT randBinomial(101, 0.5);
-- error: BAD_ARGUMENTS
SELECT randBinomial(101, 0);
SELECT randBinomial(100, 0.5) <= 100;
-- error: BAD_ARGUMENTS
SELECT randNegativeBinomial(101, 0.5);
-- error: BAD_ARGUMENTS
SELECT randPoisson(101);
SELECT randPoisson(100) > 0;
-- error: BAD_ARGUMENTS
SELECT randChiSquared(51);
-- error: BAD_ARGUMENTS
SELECT randStudentT(51);
-- error: BAD_ARGUMENTS
SELECT randFisherF(51, 1);
-- error: BAD_ARGUMENTS
SELECT randFisherF(1, 51);
SELECT randChiSquared(50) > 0, randFisherF(50, 50) > 0, randExponential(1000) >= 0;
SET max_rand_distribution_trials = 0, max_rand_distribution_parameter = 0;
-- error: BAD_ARGUMENTS
SELECT randBinomial(1000000001, 0.5);
SELECT randBinomial(1000000000, 0.5) > 0;
-- What is certain needs no trial.
SELECT randBinomial(18446744073709551615, 0), randBinomial(18446744073709551615, 1);
SELECT randPoisson(1000000000000) > 999900000000, randNegativeBinomial(0, 0.5);
SELECT randChiSquared(10000000) > 0;
-- error: BAD_ARGUMENTS
SELECT randChiSquared(3e307);
SET max_rand_distribution_trials = DEFAULT, max_rand_distribution_parameter = DEFAULT;
-- error: BAD_ARGUMENTS
SELECT randPoisson(1000000001);
-- error: BAD_ARGUMENTS
SELECT randChiSquared(1000001);
SELECT randNegativeBinomial(1000000000, 0.5) > 0;
SELECT name, type, default FROM system.settings WHERE name LIKE 'max_rand_distribution%' ORDER BY name;
