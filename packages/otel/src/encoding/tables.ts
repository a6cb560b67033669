import { each, type Kind } from './protobuf.js';

/** The fields of a message: name, number and kind. */
export type Fields<T> = { readonly [K in keyof T]-?: readonly [number: number, kind: Kind<Exclude<T[K], undefined>>] };

/** A message that a table describes. Members that are `undefined` are left out. */
export function message<T extends object>(fields: Fields<T>): Kind<T> {
  const names = (Object.keys(fields) as (keyof T)[]).reverse();
  return (out, field, value) => {
    const before = out.length;
    for (const name of names) {
      const [number, kind] = fields[name];
      const member = value[name];
      if (member !== undefined) kind(out, number, member as Exclude<T[keyof T], undefined>);
    }
    out.close(field, out.length - before);
  };
}

/** A repeated field of a table. */
export function repeated<T>(kind: Kind<T>): Kind<readonly T[]> {
  return (out, field, values) => each(out, field, values, kind);
}
