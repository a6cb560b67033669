/** Resolves the intrinsic functions of a template to names, and orders its resources. */

/** The value of a reference: `attribute` is undefined for `Ref`. */
export type Lookup = (id: string, attribute?: string) => string;
/** The value of an export of another stack. */
export type Imported = (name: string) => string;

interface Intrinsics {
  readonly Ref?: string;
  readonly 'Fn::GetAtt'?: readonly [string, string] | string;
  readonly 'Fn::Join'?: readonly [string, readonly unknown[]];
  readonly 'Fn::Sub'?: string | readonly [string, Readonly<Record<string, unknown>>];
  readonly 'Fn::Select'?: readonly [number | string, unknown];
  readonly 'Fn::Split'?: readonly [string, unknown];
  readonly 'Fn::ImportValue'?: unknown;
}

/** A value without intrinsic functions. */
export function resolve(value: unknown, lookup: Lookup, imported: Imported): unknown {
  const of = (one: unknown) => resolve(one, lookup, imported);
  if (Array.isArray(value)) return value.map(of);
  if (typeof value !== 'object' || value === null) return value;
  const one = value as Intrinsics;
  if (one.Ref !== undefined) return lookup(one.Ref);
  const attribute = one['Fn::GetAtt'];
  if (attribute !== undefined) {
    const [id = '', name = ''] = typeof attribute === 'string' ? attribute.split(/\.(.*)/s) : attribute;
    return lookup(id, String(name));
  }
  const joined = one['Fn::Join'];
  if (joined) return joined[1].map((part) => String(of(part))).join(joined[0]);
  const sub = one['Fn::Sub'];
  if (sub !== undefined) {
    const [text, given] = typeof sub === 'string' ? [sub, {}] : sub;
    return text.replaceAll(/\$\{([^!}][^}]*)\}/g, (_all, name: string) => {
      if (Object.hasOwn(given, name)) return String(of(given[name]));
      const [id = '', member] = name.split(/\.(.*)/s);
      return lookup(id, member);
    });
  }
  const split = one['Fn::Split'];
  if (split) return String(of(split[1])).split(split[0]);
  const select = one['Fn::Select'];
  if (select) return ((of(select[1]) ?? []) as unknown[])[Number(select[0])] ?? '';
  if (one['Fn::ImportValue'] !== undefined) return imported(String(of(one['Fn::ImportValue'])));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, of(member)]));
}

/** The resources to which a value refers. */
function referencesIn(value: unknown): readonly string[] {
  const found = new Set<string>();
  resolve(
    value,
    (id) => {
      found.add(id);
      return id;
    },
    (name) => name,
  );
  return [...found];
}

interface Described {
  readonly Properties?: unknown;
  readonly DependsOn?: string | readonly string[];
}

/**
 * The logical ids, each after the resources on which it depends; independent ones in the order of their ids, since CloudFormation states no order.
 *
 * @throws Error for a circle, which CloudFormation rejects
 */
export function inOrder(resources: Readonly<Record<string, Described>>): readonly string[] {
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (id: string) => {
    if (done.has(id) || !Object.hasOwn(resources, id)) return;
    if (open.has(id)) throw new Error(`Circular dependency between resources: [${[...open].join(', ')}]`);
    open.add(id);
    const { Properties, DependsOn = [] } = resources[id] as Described;
    for (const other of [...referencesIn(Properties), ...[DependsOn].flat()].sort()) visit(other);
    open.delete(id);
    done.add(id);
  };
  for (const id of Object.keys(resources).sort()) visit(id);
  return [...done];
}
