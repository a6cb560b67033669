/** The names of a project, in the forms that its files need. */
export interface Names {
  /** The given name: `orderService`. */
  readonly app: string;
  /** A name for npm: `order-service`. */
  readonly package: string;
  /** A name for a class: `OrderService`. */
  readonly class: string;
}

const GIVEN = /^[A-Za-z][A-Za-z0-9._-]*$/;
const MAX_LENGTH = 100;
/** Names that npm or Windows keep for themselves. */
const RESERVED = /^(?:node_modules|favicon\.ico|con|prn|aux|nul|com\d|lpt\d)$/i;

/** Derives the names from the given name, or returns the reason why the name is invalid. */
export function toNames(given: string): Names | string {
  const quoted = JSON.stringify(given.slice(0, MAX_LENGTH));
  if (!GIVEN.test(given)) {
    return `invalid name ${quoted}: it must begin with a letter and contain only letters, digits, dots, hyphens and underscores`;
  }
  if (given.length > MAX_LENGTH) return `the name is longer than ${MAX_LENGTH} characters: ${quoted}`;
  if (RESERVED.test(given)) return `invalid name ${quoted}: npm or Windows reserves it`;
  const words = given
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return {
    app: given,
    package: words.join('-').toLowerCase(),
    class: words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join(''),
  };
}
