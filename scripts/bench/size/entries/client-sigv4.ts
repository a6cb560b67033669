export { createClient } from '@sallyport/client';
export { createSignedFetch } from '@sallyport/client/sigv4';
