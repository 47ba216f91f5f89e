// Answers queries with DuckDB: argv has a file with a JSON object of name to SQL; what is printed is name to rows.
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const connection = await (await DuckDBInstance.create(":memory:")).connect();
const answers = {};
for (const [name, sql] of Object.entries(JSON.parse(readFileSync(process.argv[2], "utf8")))) {
  answers[name] = (await connection.runAndReadAll(sql)).getRowObjectsJson();
}
console.log(JSON.stringify(answers));
