import type { components, operations } from './schema.js';

/** The records and bodies of the API by name: Schemas['Asset'], Schemas['AssetWrite'], Schemas['AssetPatch']. */
export type Schemas = components['schemas'];

/** What an operation answers when it succeeds. */
export type Answer<Name extends keyof operations> = operations[Name] extends { responses: infer Responses }
  ? Json<Responses[keyof Responses]>
  : never;

/** What an operation takes in its body. */
export type Body<Name extends keyof operations> = operations[Name] extends { requestBody: infer Given } ? Json<Given> : never;

/** What an operation takes in its query: lists as an array or as one value, and the filters by declared custom fields. */
export type Query<Name extends keyof operations> = operations[Name] extends { parameters: { query?: infer Given } }
  ? { [Key in keyof Given]: Several<Given[Key]> } & { [Key in `custom_fields.${string}`]?: Value | readonly Value[] }
  : never;

export type Value = string | number | boolean | null;

type Json<Given> = Given extends { content: { 'application/json': infer Content } } ? Content : never;

// Filters by numbers are texts in the document, because null is a value of them.
type Several<Given> = Given extends readonly (infer One)[] ? Single<One> | readonly Single<One>[] : Given;
type Single<One> = string extends One ? Value : One | null;
