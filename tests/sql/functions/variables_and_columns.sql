SELECT globalVariable('version'), globalVariable('MAX_ALLOWED_PACKET'), toTypeName(globalVariable('max_allowed_packet')), globalVariable('nope'), globalVariable('version_comment'), globalVariable('transaction_isolation');
SELECT @@version, @@session.tx, @@max_allowed_packet + 1, @@version AS v FORMAT TSVWithNames;
SELECT @@GLOBAL.version, @@ version_comment FORMAT TSVWithNames;
SELECT concat(@@version, 'x'), length(@@transaction_isolation) FORMAT TSVWithNames;
SELECT 1 WHERE @@version != '' AND @@nothing = 0;
-- error: BAD_ARGUMENTS
SELECT globalVariable(1);
SELECT currentSchemas(true) = [currentDatabase()], current_schemas(false) = [currentDatabase()], CURRENT_SCHEMAS(true) = [currentDatabase()], toTypeName(currentSchemas(true));
-- error: ILLEGAL_TYPE_OF_ARGUMENT
SELECT currentSchemas(1);
SELECT dumpColumnStructure(1), dumpColumnStructure('a'), dumpColumnStructure([1,2]), dumpColumnStructure((1,'a')), dumpColumnStructure(toNullable(1)), dumpColumnStructure(NULL), dumpColumnStructure(map('a',1));
SELECT dumpColumnStructure(toDecimal32(1,2)), dumpColumnStructure(today()), dumpColumnStructure(toFixedString('a',3)), dumpColumnStructure(toLowCardinality('a'));
SELECT dumpColumnStructure(materialize(1)), dumpColumnStructure(materialize([[1]])), dumpColumnStructure(materialize((1,'a'))), dumpColumnStructure(materialize(toNullable('a'))), dumpColumnStructure(materialize(toLowCardinality('a'))), dumpColumnStructure(materialize(map('a', [1, 2])));
SELECT blockSerializedSize(1), blockSerializedSize('abc'), blockSerializedSize(1, 'ab'), blockSerializedSize([1,2,3]), blockSerializedSize(toLowCardinality('abc')), blockSerializedSize(map('a',1)), blockSerializedSize((1,'a')), blockSerializedSize(NULL), blockSerializedSize(), blockSerializedSize(toNullable(1));
SELECT max(blockSerializedSize(number)) FROM numbers(100);
