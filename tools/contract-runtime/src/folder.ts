import { fileURLToPath } from 'node:url';

/** The folder of the fixtures. */
export const FIXTURES = fileURLToPath(new URL('../../../contract-fixtures', import.meta.url));
