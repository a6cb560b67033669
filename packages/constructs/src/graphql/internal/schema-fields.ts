/** The fields of each object and interface type. */
export type SchemaFields = ReadonlyMap<string, ReadonlySet<string>>;

/** Descriptions, comments, names and punctuation of the schema definition language. https://spec.graphql.org/October2021/#sec-Language */
const TOKENS = /"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|#[^\n]*|[A-Za-z_][A-Za-z0-9_]*|[{}()[\]:]/g;

/** Reads the names of types and fields. The rest of the schema is not checked. */
export function readFields(schema: string): SchemaFields {
  const tokens = (schema.match(TOKENS) ?? []).filter((token) => !/^["#]/.test(token));
  const types = new Map<string, Set<string>>();
  for (const [at, token] of tokens.entries()) {
    const isType = (token === 'type' || token === 'interface') && tokens[at - 1] !== ':' && tokens[at + 1] !== ':';
    const open = isType ? tokens.indexOf('{', at) : -1;
    const name = tokens[at + 1];
    if (open < 0 || name === undefined) continue;
    types.set(name, new Set([...(types.get(name) ?? []), ...fieldsFrom(tokens, open)]));
  }
  return types;
}

/** A field is a name directly in the braces, before a colon or its arguments. */
function fieldsFrom(tokens: readonly string[], open: number): readonly string[] {
  const fields: string[] = [];
  let parentheses = 0;
  for (let at = open + 1; at < tokens.length && tokens[at] !== '}'; at += 1) {
    const token = tokens[at] as string;
    if (token === '(') parentheses += 1;
    if (token === ')') parentheses -= 1;
    const next = tokens[at + 1];
    if (parentheses === 0 && /^\w/.test(token) && (next === ':' || (next === '(' && tokens[at - 1] !== ':')))
      fields.push(token);
  }
  return fields;
}
