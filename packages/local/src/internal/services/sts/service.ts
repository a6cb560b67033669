import { ACCOUNT } from '../../aws/names.js';
import { type AwsService, defineService, optionalText } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { RunKeys } from '../../host/keys.js';
import type { LocalService } from '../service.js';

const HOUR_MS = 3_600_000;

/** STS: the identity of the function. A role is assumed with the keys of the run, which have all permissions here. */
function createSts(functionName: string, keys: RunKeys, now: () => number): AwsService {
  return defineService(
    { protocol: 'query', xmlns: 'https://sts.amazonaws.com/doc/2011-06-15/' },
    {
      GetCallerIdentity: () => ({
        Arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${functionName}/${functionName}`,
        UserId: `AROALOCAL:${functionName}`,
        Account: ACCOUNT,
      }),
      AssumeRole(input) {
        const [, account, role] =
          /^arn:[^:]+:iam::(\d{12}):role\/(?:.+\/)?([^/]+)$/.exec(optionalText(input, 'RoleArn') ?? '') ?? [];
        const session = optionalText(input, 'RoleSessionName') ?? '';
        if (account === undefined || session === '')
          throw new AwsFault(400, 'ValidationError', 'RoleArn or RoleSessionName is not valid');
        return {
          Credentials: {
            AccessKeyId: keys.accessKeyId,
            SecretAccessKey: keys.secretAccessKey,
            SessionToken: 'local',
            Expiration: new Date(now() + HOUR_MS).toISOString(),
          },
          AssumedRoleUser: {
            AssumedRoleId: `AROALOCAL:${session}`,
            Arn: `arn:aws:sts::${account}:assumed-role/${role}/${session}`,
          },
        };
      },
    },
  );
}

/** STS: the identity of the function. */
export const sts = {
  name: 'sts',
  operations: ({ config, keys, now }) => createSts(config.name, keys, now),
} as const satisfies LocalService;
