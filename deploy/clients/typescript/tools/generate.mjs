// Writes src/schema.ts (the types of the document), src/collections.ts (its collections, by their operations) and src/version.ts.
//
//   node tools/generate.mjs [openapi.json] [folder]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const [source = fileURLToPath(new URL('../../openapi.json', import.meta.url)), folder = fileURLToPath(new URL('../src', import.meta.url))] =
  process.argv.slice(2);
const document = JSON.parse(readFileSync(source, 'utf8'));
const notice = '// Made by "make clients" from deploy/clients/openapi.json: do not edit.\n';

const camel = (name) => name.replace(/[_-](.)/g, (_, letter) => letter.toUpperCase());
const lastPart = (path) => camel(path.split('/').at(-1));

// names are the collections whose last part says too little, or is another one's.
const names = {
  '/v1/accounting/classes': 'capitalAssetClasses', '/v1/accounting/transactions': 'capitalAssetTransactions',
  '/v1/forms/responses': 'formResponses', '/v1/forms/templates': 'formTemplates', '/v1/infrastructure/deficiencies': 'infrastructureDeficiencies',
};

// classes are the collections that can more than others.
const classes = { '/v1/documents': 'DocumentCollection' };

// collections are the paths under which records are listed and created; those below a record stand with its collection. What is only appended
// to takes no patches and no keys.
// Readings of meters are no records: they have no path of their own.
function collections() {
  const found = Object.entries(document.paths)
    .filter(([path, { get, post }]) => get && post && document.paths[`${path}/bulk`]?.post && document.paths[`${path}/{id}`])
    .map(([path, { get, post }]) => {
      const one = document.paths[`${path}/{id}`];
      const body = (operation) => `Body<'${operation.operationId}'>`;
      const bulk = document.paths[`${path}/bulk`];
      const parent = /^(.*)\/\{(\w+)\}\//.exec(path);
      return {
        path, name: names[path] ?? lastPart(path), above: parent?.[1], parameter: parent && camel(parent[2]),
        type: `${classes[path] ?? 'Collection'}<{
  record: Answer<'${one.get.operationId}'>;
  create: ${body(post)};
  patch: ${one.patch ? body(one.patch) : 'never'};
  filters: Query<'${get.operationId}'>;
  page: Answer<'${get.operationId}'>;
  bulkCreate: ${body(bulk.post)}['data'][number];
  bulkPatch: ${bulk.patch ? `${body(bulk.patch)}['data'][number]` : 'never'};
  bulkKey: ${bulk.delete ? `${body(bulk.delete)}['data'][number]` : 'never'};
  bulkResult: Answer<'${bulk.post.operationId}'>;
  change: Answer<'${document.paths[`${path}/{id}/history`].get.operationId}'>['data'][number];
}>`,
      };
    });
  return found.filter(({ above }) => !above).map((top) => ({ ...top, below: found.filter(({ above }) => above === top.path) }));
}

function collectionsFile() {
  const all = collections();
  const className = (name) => name[0].toUpperCase() + name.slice(1);
  const parents = all.filter(({ below }) => below.length > 0).map(({ path, name, type, below }) => `/** ${path}, and what is below one of them. */
export class ${className(name)} extends ${type} {
${below.map((one) => `  /** ${one.path} */
  ${one.name}(${one.parameter}: string): ${one.type.replaceAll('\n', '\n  ')} {
    return this.below(${one.parameter}, '${one.path.split('/').at(-1)}');
  }`).join('\n\n')}
}
`);
  const members = all.map(({ path, name, type, below }) => (below.length > 0
    ? `  readonly ${name} = new ${className(name)}(this, '${path}');`
    : `  readonly ${name}: ${type.replaceAll('\n', '\n  ')} = new Collection(this, '${path}');`));
  return `${notice}import { Collection } from './collection.js';
import { DocumentCollection } from './documents.js';
import type { Answer, Body, Query } from './operations.js';
import { Transport } from './transport.js';

${parents.join('\n')}
/** The collections of the API. */
export class Collections extends Transport {
${members.join('\n\n')}
}
`;
}

// withoutExamples takes the examples away, which the reference has: they are a third of the comments.
function withoutExamples(value) {
  if (value === null || typeof value !== 'object') return;
  for (const [name, inner] of Object.entries(value)) {
    if ((name === 'examples' || name === 'example') && (Array.isArray(inner) || typeof inner !== 'object') && ('type' in value || 'schema' in value || '$ref' in value || 'anyOf' in value)) delete value[name];
    else withoutExamples(inner);
  }
}

// What a caller of the library never sees is left out: errors are one type, and the receiving side of webhooks has Event.
function seen() {
  const copy = structuredClone(document);
  delete copy.webhooks;
  withoutExamples(copy);
  for (const methods of Object.values(copy.paths)) {
    for (const operation of Object.values(methods)) {
      if (!operation.responses) continue;
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!/^2/.test(status)) delete operation.responses[status];
        delete response.headers;
        for (const type of Object.keys(response.content ?? {})) if (type !== 'application/json') delete response.content[type];
      }
      operation.parameters = operation.parameters?.filter((parameter) => parameter.in !== 'header');
    }
  }
  return copy;
}

mkdirSync(folder, { recursive: true });
const write = (name, content) => writeFileSync(join(folder, name), content);
write('schema.ts', notice + astToString((await openapiTS(seen(), { defaultNonNullable: false })).filter((node) => node.name?.text !== 'paths')));
write('collections.ts', collectionsFile());
write('version.ts', `${notice}/** The version of the document that the types are made from, and of this package. */
export const version = '${document.info.version}';
`);
