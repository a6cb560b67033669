/** The version of this package. `npm run docs` writes this file. */
export const VERSION = '0.0.0';
