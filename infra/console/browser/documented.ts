/**
 * What the API document allows an answer to be: an answer altered as far as the document goes, to see whether the screens go as far.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

type Schema = {
  $ref?: string;
  type?: string | string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};

const file = resolve(import.meta.dirname, '../../../shared/openapi/v1.json');
const { schemas } = (JSON.parse(readFileSync(file, 'utf8')) as { components: { schemas: Record<string, Schema> } }).components;

function named(name: string): Schema {
  const schema = schemas[name];
  if (schema === undefined) {
    throw new Error(`the API document has no ${name}`);
  }
  return schema;
}

/** The schemas that a value may be of, without references. */
function choices(schema: Schema): Schema[] {
  if (schema.$ref) {
    return choices(named(schema.$ref.replace('#/components/schemas/', '')));
  }
  const among = schema.anyOf ?? schema.oneOf;
  return among ? among.flatMap(choices) : [schema];
}

function mayBeNull(schema: Schema): boolean {
  return choices(schema).some(({ type }) => type === 'null' || (Array.isArray(type) && type.includes('null')));
}

/** The first choice that knows all of an object's properties. */
function schemaOf(schema: Schema, value: object): Schema | undefined {
  return choices(schema).find(({ properties }) => properties && Object.keys(value).every((name) => name in properties));
}

function changed(schema: Schema, value: unknown, change: (of: Schema, property: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) {
    const items = choices(schema).find((choice) => choice.items)?.items;
    return items ? value.map((item) => changed(items, item, change)) : value;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const of = schemaOf(schema, value);
  if (of?.properties === undefined) {
    return value;
  }
  const entries = Object.entries(value).map(([name, inner]) => {
    const property = of.properties?.[name];
    const altered = change(of, name, inner);
    return [name, altered === inner && property ? changed(property, inner, change) : altered] as const;
  });
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

/** An answer with null in every place where the document allows it, and no other number zero: a zero on the screen is a null's then. */
export function allNull(name: string, answer: unknown): unknown {
  return changed(named(name), answer, (of, property, value) => {
    if (of.properties?.[property] && mayBeNull(of.properties[property])) {
      return null;
    }
    return value === 0 ? 1 : value;
  });
}

/** An answer without the properties that the document does not require. */
export function onlyRequired(name: string, answer: unknown): unknown {
  return changed(named(name), answer, (of, property, value) => (of.required?.includes(property) ? value : undefined));
}

/** Properties whose texts are written for people and shown as they are. */
const forPeople = ['reasons', 'note', 'disclosure', 'recommendedActions', 'rationale', 'summary', 'narrative', 'warnings', 'exclusions'];

/** An answer whose texts for people are other ones, each its own, and these texts. */
export function otherTexts(answer: unknown): { answer: unknown; texts: string[] } {
  const texts: string[] = [];
  const other = (name: string): string => {
    const text = `Text ${texts.length + 1} of ${name}: 5 < 6 & "so on", said in full and to its end.`;
    texts.push(text);
    return text;
  };
  const walk = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') {
      return forPeople.includes(name) ? other(name) : value;
    }
    if (Array.isArray(value)) {
      return value.map((item) => walk(item, name));
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([inner, item]) => [inner, walk(item, inner)]));
    }
    return value;
  };
  return { answer: walk(answer, ''), texts };
}
