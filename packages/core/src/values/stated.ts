/** Shared by name with the tools that write contracts: the schemas of a handler or of a registration. */
const STATED = Symbol.for('sallyport.stated/1');

/** Keeps what a handler or a registration states about its messages. Not enumerable: inventories and their copies do not show it. */
export function keepStated<T extends object>(target: T, stated: object): T {
  return Object.defineProperty(target, STATED, { value: stated });
}

/** The statement of {@link keepStated}; `undefined` for other objects. */
export function statedOf(target: object): unknown {
  return Reflect.get(target, STATED);
}
