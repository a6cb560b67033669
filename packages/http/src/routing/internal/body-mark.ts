/** Shared by name with `@sallyport/local`, which makes sample messages of the schema. */
const BODY = Symbol.for('sallyport.http.body/1');

/** The schema of the body of a bound handler, for its line in the inventory; empty for any other handler. */
export function bodyMark(handler: object): object {
  const { contract } = handler as { readonly contract?: { readonly body?: unknown } };
  return contract?.body === undefined ? {} : { [BODY]: contract.body };
}
