import { jwtPrincipalResolver } from '@sallyport/secure/jwt';
import { Bookmarks } from './bookmarks.js';
import { createService } from './step-1.js';

/** @throws Error for a missing variable: better at start than at the first request */
function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`the environment variable ${name} is not set`);
  return value;
}

const principalResolver = jwtPrincipalResolver({
  issuer: required('BOOKMARKS_ISSUER'),
  jwksUri: required('BOOKMARKS_JWKS_URI'),
  audience: [required('BOOKMARKS_AUDIENCE')],
});

// This example keeps bookmarks in memory: replace the class with a class that uses a table.
export const handler = createService({ principalResolver }, new Bookmarks()).handleLambda;
