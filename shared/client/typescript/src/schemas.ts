/**
 * The shapes of requests and answers, derived from the API document that `api.ts` is generated from. Nothing is written down here a
 * second time: a field that the service gains is there after `npm run types`.
 */
import type { components, paths } from './api.js';

/** The schemas of the API document by name, like `Schemas['TraderScoreAnswer']`. */
export type Schemas = components['schemas'];

/** An answer or a part of one by its name in the API document, like `Answer<'TraderScoreAnswer'>`. */
export type Answer<Name extends keyof Schemas> = Schemas[Name];

/** The operation of a path under a method; never where there is none. */
type Operation<Path extends keyof paths, Method extends 'get' | 'post'> = paths[Path] extends { [M in Method]: infer Found }
  ? Found
  : never;

type Parameters<Of> = Of extends { parameters: infer Found } ? Found : never;

/** Tells whether an operation can be asked by its path alone: without anything in the path, and without a signed-in wallet. */
type IsOpen<Of> = [Of] extends [never]
  ? false
  : Record<never, never> extends Pick<Parameters<Of>, Extract<'header' | 'path', keyof Parameters<Of>>>
    ? true
    : false;

/** Paths under /v1 that answer a method and need no wallet. */
type OpenPath<Method extends 'get' | 'post'> = {
  [Path in keyof paths]: IsOpen<Operation<Path, Method>> extends true ? (Path extends `/v1${infer Under}` ? Under : never) : never;
}[keyof paths];

type At<Under extends string, Method extends 'get' | 'post'> = `/v1${Under}` extends keyof paths ? Operation<`/v1${Under}`, Method> : never;

type AnswerOf<Of> = Of extends { responses: { 200: { content: { 'application/json': infer Body } } } } ? Body : never;

/** The paths that `Client.get` takes. */
export type GetPath = OpenPath<'get'>;

/** The paths that `Client.post` takes. */
export type PostPath = OpenPath<'post'>;

/** The query that a path takes. */
export type Query<Path extends GetPath> = NonNullable<Parameters<At<Path, 'get'>> extends { query?: infer Found } ? Found : never>;

/** What a path answers to GET. */
export type GetAnswer<Path extends GetPath> = AnswerOf<At<Path, 'get'>>;

/** The body that a path takes; undefined for none. */
export type Body<Path extends PostPath> =
  At<Path, 'post'> extends { requestBody: { content: { 'application/json': infer Found } } } ? Found : undefined;

/** What a path answers to POST. */
export type PostAnswer<Path extends PostPath> = AnswerOf<At<Path, 'post'>>;

/** The arguments of `Client.get` behind the path: the query is left out where nothing of it is needed. */
export type GetArguments<Path extends GetPath, Options> =
  Record<never, never> extends Pick<Parameters<At<Path, 'get'>>, Extract<'query', keyof Parameters<At<Path, 'get'>>>>
    ? [query?: Query<Path>, options?: Options]
    : [query: Query<Path>, options?: Options];
