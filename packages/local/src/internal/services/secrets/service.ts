import { join } from 'node:path';
import { sha256 } from '@sallyport/core/internal';
import { toArn } from '../../aws/names.js';
import { type AwsService, defineService, type Input, textOf } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { Config } from '../../config/config.js';
import type { LocalService } from '../service.js';
import { SecretFile } from './secret-file.js';

const HINT = 'add it to "values" of sallyport.json, or to .sallyport/secrets.json';

/** Secrets Manager with the values of `.sallyport/secrets.json` and of `sallyport.json`. */
function createSecretsManager(file: SecretFile, now: () => number): AwsService {
  const currentValue = (input: Input) => {
    const name = secretName(textOf(input, 'SecretId'));
    const value = file.read().secrets[name];
    if (value === undefined)
      throw new AwsFault(400, 'ResourceNotFoundException', `the secret ${name} does not exist: ${HINT}`);
    return { ...identityOf(name, now(), value), SecretString: value, VersionStages: ['AWSCURRENT'] };
  };
  const write = (name: string, input: Input) => {
    const value = textOf(input, 'SecretString');
    file.write('secrets', name, value);
    return identityOf(name, now(), value);
  };
  return defineService(
    { protocol: 'json-1.1', resources: ['SecretId', 'Name'] },
    {
      GetSecretValue(input) {
        if (input.VersionStage !== 'AWSPREVIOUS') return currentValue(input);
        throw new AwsFault(400, 'ResourceNotFoundException', 'a local secret has no previous version');
      },
      BatchGetSecretValue({ SecretIdList }) {
        const ids = Array.isArray(SecretIdList) ? SecretIdList.map(String) : [];
        const isThere = (id: string) => file.read().secrets[secretName(id)] !== undefined;
        return {
          SecretValues: ids.filter(isThere).map((SecretId) => currentValue({ SecretId })),
          Errors: ids
            .filter((id) => !isThere(id))
            .map((SecretId) => ({ SecretId, ErrorCode: 'ResourceNotFoundException', Message: HINT })),
        };
      },
      CreateSecret(input) {
        const name = textOf(input, 'Name');
        if (file.read().secrets[name] !== undefined)
          throw new AwsFault(400, 'ResourceExistsException', `the secret ${name} exists`);
        return write(name, input);
      },
      PutSecretValue(input) {
        const { Name } = currentValue(input);
        return write(Name, input);
      },
    },
  );
}

/** A name, or the name in an ARN without its random end. */
function secretName(id: string): string {
  return /^arn:/.test(id) ? id.replace(/^.*:secret:/, '').replace(/-[A-Za-z0-9]{6}$/, '') : id;
}

/** A version has the digest of its value as id, so that a changed file is noticed. */
function identityOf(Name: string, now: number, value: string) {
  const ARN = toArn('secretsmanager', `secret:${Name}-local0`);
  return { ARN, Name, VersionId: sha256(value).slice(0, 32), CreatedDate: now / 1000 };
}

/** Parameter Store: the values of `.sallyport/secrets.json` are encrypted ones, those of `sallyport.json` are not. */
function createParameters(file: SecretFile): AwsService {
  const parameterOf = (Name: string, Value: string) => ({
    Name,
    Type: file.isPlain(Name) ? 'String' : 'SecureString',
    Value,
    // A changed value has another version.
    Version: Number.parseInt(sha256(Value).slice(0, 8), 16),
    LastModifiedDate: 0,
    ARN: toArn('ssm', `parameter/${Name.replace(/^\//, '')}`),
    DataType: 'text',
  });
  const all = () => Object.entries(file.read().parameters);
  return defineService(
    { protocol: 'json-1.1', resources: ['Name'] },
    {
      GetParameter(input) {
        const name = parameterName(textOf(input, 'Name'));
        const value = file.read().parameters[name];
        if (value === undefined)
          throw new AwsFault(400, 'ParameterNotFound', `the parameter ${name} does not exist: ${HINT}`);
        return { Parameter: parameterOf(name, value) };
      },
      GetParameters(input) {
        const names = Array.isArray(input.Names) ? input.Names.map(String) : [];
        const { parameters } = file.read();
        const found = names.flatMap((given) => {
          const name = parameterName(given);
          return parameters[name] === undefined ? [] : [parameterOf(name, parameters[name])];
        });
        const isMissing = (name: string) => parameters[parameterName(name)] === undefined;
        return { Parameters: found, InvalidParameters: names.filter(isMissing) };
      },
      GetParametersByPath(input) {
        const path = `${textOf(input, 'Path').replace(/\/$/, '')}/`;
        const isIn = ([name]: readonly [string, string]) =>
          name.startsWith(path) && (input.Recursive === true || !name.slice(path.length).includes('/'));
        return {
          Parameters: all()
            .filter(isIn)
            .map(([name, value]) => parameterOf(name, value)),
        };
      },
      PutParameter(input) {
        const name = textOf(input, 'Name');
        if (file.read().parameters[name] !== undefined && input.Overwrite !== true) {
          throw new AwsFault(400, 'ParameterAlreadyExists', `the parameter ${name} exists`);
        }
        file.write('parameters', name, textOf(input, 'Value'));
        return { Version: 1, Tier: 'Standard' };
      },
    },
  );
}

/** A name, or the name in an ARN. */
function parameterName(id: string): string {
  return id.startsWith('arn:') ? id.replace(/^.*:parameter/, '') : id;
}

const fileOf = ({ stateFolder, values }: Config) => new SecretFile(join(stateFolder, 'secrets.json'), values);

/** Secrets Manager. */
export const secretsManager = {
  name: 'secretsmanager',
  operations: ({ config, now }) => createSecretsManager(fileOf(config), now),
} as const satisfies LocalService;

/** Parameter Store of Systems Manager. */
export const parameterStore = {
  name: 'ssm',
  operations: ({ config }) => createParameters(fileOf(config)),
} as const satisfies LocalService;
