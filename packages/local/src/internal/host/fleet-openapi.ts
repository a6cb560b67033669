import { isObject, membersOf } from '@sallyport/core/internal';

type Members = Readonly<Record<string, unknown>>;

/** The document of one function. */
export interface FunctionDocument {
  readonly name: string;
  readonly document: unknown;
}

/**
 * One OpenAPI document of several functions: the paths of all of them. Components of one name that differ get the name of their function
 * as a prefix.
 *
 * @returns `null` if no function has a document
 */
export function joinDocuments(documents: readonly FunctionDocument[]): unknown {
  const all = documents.flatMap(({ name, document }) => (isObject(document) ? [{ name, document }] : []));
  const [first] = all;
  if (first === undefined) return null;
  const components: Record<string, Record<string, unknown>> = {};
  const paths: Record<string, Members> = {};
  for (const { name, document } of all) {
    const own = withoutConflicts(document, components, name);
    for (const [kind, group] of Object.entries(membersOf(own.components)))
      components[kind] = { ...components[kind], ...membersOf(group) };
    for (const [path, item] of Object.entries(membersOf(own.paths)))
      paths[path] = { ...membersOf(item), ...paths[path] };
  }
  return { ...first.document, paths, components };
}

/** The document with other names for its components that the joined document has already, with other contents. */
function withoutConflicts(document: Members, known: Readonly<Record<string, Members>>, name: string): Members {
  let text = JSON.stringify(document);
  for (const [kind, group] of Object.entries(membersOf(document.components))) {
    for (const [component, value] of Object.entries(membersOf(group))) {
      const other = known[kind]?.[component];
      if (other === undefined || JSON.stringify(other) === JSON.stringify(value)) continue;
      const place = `#/components/${kind}/${component}`;
      text = text.replaceAll(JSON.stringify(place), JSON.stringify(`#/components/${kind}/${name}.${component}`));
    }
  }
  const renamed = JSON.parse(text) as Members;
  const components = Object.entries(membersOf(renamed.components)).map(([kind, group]) => {
    const members = Object.entries(membersOf(group)).map(([component, value]) => {
      const other = known[kind]?.[component];
      const original = membersOf(membersOf(document.components)[kind])[component];
      const isOther = other !== undefined && JSON.stringify(other) !== JSON.stringify(original);
      return [isOther ? `${name}.${component}` : component, value];
    });
    return [kind, Object.fromEntries(members)];
  });
  return { ...renamed, components: Object.fromEntries(components) };
}
