import { iamPrincipal } from '@sallyport/secure/authorizers';
import { createDigest } from './app.js';

/** Only services with AWS credentials read digests. */
export const handler = createDigest({ principalResolver: iamPrincipal() }).handleLambda;
