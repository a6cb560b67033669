import { isObject, stringOf } from '@sallyport/core/internal';

/** The physical name or ARN of a resource of the stack; `undefined` if it is not deployed. */
export type PhysicalOf = (id: string) => string | undefined;

/** True if a pattern with `*` and `?` matches a name. */
export function covers(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}

/** True if two patterns with `*` and `?` match a common name. Each row has the prefixes of `b` that fit a prefix of `a`. */
export function overlaps(a: string, b: string): boolean {
  let row = [true, ...Array.from(b, (_, index) => /^\*+$/.test(b.slice(0, index + 1)))];
  for (const one of a) {
    const next = [one === '*' && row[0] === true];
    for (let index = 0; index < b.length; index += 1) {
      const [above = false, before = false, left = false] = [row[index + 1], row[index], next[index]];
      const other = b[index];
      const isSame = one === other || one === '?' || other === '?';
      next.push(one === '*' || other === '*' ? above || left || before : isSame && before);
    }
    row = next;
  }
  return row[b.length] === true;
}

/** The pattern for a value of a template; `*` for a part that CloudFormation computes. */
export function textOf(value: unknown, physicalOf: PhysicalOf): string {
  if (!isObject(value)) return typeof value === 'string' ? value : '*';
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join, 'Fn::Sub': sub } = value;
  if (typeof Ref === 'string') return physicalOf(Ref) ?? '*';
  if (attribute !== undefined)
    return named(typeof attribute === 'string' ? attribute : policyValues(attribute)[0], physicalOf);
  if (Array.isArray(join)) {
    const [separator, parts] = join;
    return policyValues(parts)
      .map((part) => textOf(part, physicalOf))
      .join(stringOf(separator));
  }
  const text = stringOf(Array.isArray(sub) ? sub[0] : sub);
  return text === '' ? '*' : text.replace(/\$\{([^}]+)\}/g, (_, name: string) => named(name, physicalOf));
}

/** An attribute of a resource has its name: `arn:aws:sqs:eu-west-1:123456789012:orders`. */
function named(attribute: unknown, physicalOf: PhysicalOf): string {
  const [id = ''] = stringOf(attribute).split('.');
  const physical = physicalOf(id);
  if (physical === undefined) return '*';
  return physical.startsWith('arn:') ? `${physical}*` : `*${physical.replace(/^https?:.*\//, '')}*`;
}

/** The members of a list, or the single value. */
export function policyValues(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
