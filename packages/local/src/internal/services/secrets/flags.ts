import { randomUUID } from 'node:crypto';
import { type AwsService, notServed, type Output } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { LocalService } from '../service.js';

const POLL_SECONDS = '15';
/** Tokens that are kept: a function that is started again does not use its old ones. */
const MAX_TOKENS = 1000;

/**
 * The data plane of AppConfig with the flags of `sallyport.json`, for any profile. A token is valid for one call, as on AWS.
 *
 * @see https://docs.aws.amazon.com/appconfig/2019-10-09/APIReference/API_appconfigdata_GetLatestConfiguration.html
 */
function createAppConfigData(flags: Readonly<Record<string, object>>): AwsService {
  /** Tokens, and if their session has received the flags. */
  const tokens = new Map<string, boolean>();
  const next = (hasFlags: boolean): string => {
    const token = randomUUID();
    tokens.set(token, hasFlags);
    const [oldest] = tokens.keys();
    if (tokens.size > MAX_TOKENS && oldest !== undefined) tokens.delete(oldest);
    return token;
  };
  return {
    protocol: 'rest-json',
    serve({ request: { method, path, query }, note }): Output {
      if (method === 'POST' && path === '/configurationsessions') {
        note({ operation: 'StartConfigurationSession' });
        return {
          wire: {
            status: 201,
            headers: JSON_HEADERS,
            body: JSON.stringify({ InitialConfigurationToken: next(false) }),
          },
        };
      }
      if (method !== 'GET' || path !== '/configuration') throw notServed('');
      note({ operation: 'GetLatestConfiguration' });
      const token = new URLSearchParams(query).get('configuration_token') ?? '';
      const hasFlags = tokens.get(token);
      if (hasFlags === undefined)
        throw new AwsFault(400, 'BadRequestException', 'the token is unknown, used or expired');
      tokens.delete(token);
      const headers = {
        ...JSON_HEADERS,
        'next-poll-configuration-token': next(true),
        'next-poll-interval-in-seconds': POLL_SECONDS,
      };
      return { wire: { status: 200, headers, body: hasFlags ? '' : JSON.stringify(flags) } };
    },
  };
}

const JSON_HEADERS = { 'content-type': 'application/json' };

/** The data plane of AppConfig. */
export const appConfigData = {
  name: 'appconfig',
  operations: ({ config }) => createAppConfigData(config.values.flags ?? {}),
} as const satisfies LocalService;
