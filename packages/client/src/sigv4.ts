export { type AwsKeys, createSignedFetch, type SignedFetchOptions } from './transports/signed-fetch.js';
