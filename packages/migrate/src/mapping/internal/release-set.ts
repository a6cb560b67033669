// Made by `npm run docs` from the versions of the workspace.
import type { ReleaseSet } from './upgrades.js';

export const RELEASE_SET: ReleaseSet = {
  release: '0.0',
  ranges: {
    '@sallyport/appsync': '^0.0.0',
    '@sallyport/bundle': '^0.0.0',
    '@sallyport/cli': '^0.0.0',
    '@sallyport/client': '^0.0.0',
    '@sallyport/connections': '^0.0.0',
    '@sallyport/constructs': '^0.0.0',
    '@sallyport/contract': '^0.0.0',
    '@sallyport/core': '^0.0.0',
    '@sallyport/dispatch': '^0.0.0',
    '@sallyport/durable': '^0.0.0',
    '@sallyport/dynamo': '^0.0.0',
    '@sallyport/http': '^0.0.0',
    '@sallyport/jobs': '^0.0.0',
    '@sallyport/local': '^0.0.0',
    '@sallyport/mcp': '^0.0.0',
    '@sallyport/microvm': '^0.0.0',
    '@sallyport/migrate': '^0.0.0',
    '@sallyport/objectstore': '^0.0.0',
    '@sallyport/otel': '^0.0.0',
    '@sallyport/parameters': '^0.0.0',
    '@sallyport/ratelimit': '^0.0.0',
    '@sallyport/secure': '^0.0.0',
    '@sallyport/streams': '^0.0.0',
    '@sallyport/testkit': '^0.0.0',
    '@sallyport/triggers': '^0.0.0',
    '@sallyport/vectors': '^0.0.0',
  },
};
