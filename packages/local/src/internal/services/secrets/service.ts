import { join } from 'node:path';
import { toArn } from '../../aws/names.js';
import { type AwsService, defineService, type Input, textOf } from '../../aws/service.js';
import { AwsFault } from '../../aws/wire.js';
import type { Config } from '../../config/config.js';
import type { LocalService } from '../service.js';
import { SecretFile } from './secret-file.js';

const HINT = 'add it to .sallyport/secrets.json';

/** Secrets Manager with the values of `.sallyport/secrets.json`. */
function createSecretsManager(file: SecretFile, now: () => number): AwsService {
  const currentValue = (input: Input) => {
    const name = secretName(textOf(input, 'SecretId'));
    const value = file.read().secrets[name];
    if (value === undefined)
      throw new AwsFault(400, 'ResourceNotFoundException', `the secret ${name} does not exist: ${HINT}`);
    return { ...identityOf(name, now()), SecretString: value, VersionStages: ['AWSCURRENT'] };
  };
  const write = (name: string, input: Input) => {
    file.write('secrets', name, textOf(input, 'SecretString'));
    return identityOf(name, now());
  };
  return defineService(
    { protocol: 'json-1.1', resources: ['SecretId', 'Name'] },
    {
      GetSecretValue: currentValue,
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

function identityOf(Name: string, now: number) {
  const ARN = toArn('secretsmanager', `secret:${Name}-local0`);
  return { ARN, Name, VersionId: '00000000-0000-4000-8000-000000000000', CreatedDate: now / 1000 };
}

/** Parameter Store with the values of `.sallyport/secrets.json`. */
function createParameters(file: SecretFile, now: () => number): AwsService {
  const parameterOf = (Name: string, Value: string) => ({
    Name,
    Type: 'SecureString',
    Value,
    Version: 1,
    LastModifiedDate: now() / 1000,
    ARN: toArn('ssm', `parameter/${Name.replace(/^\//, '')}`),
    DataType: 'text',
  });
  const all = () => Object.entries(file.read().parameters);
  return defineService(
    { protocol: 'json-1.1', resources: ['Name'] },
    {
      GetParameter(input) {
        const name = textOf(input, 'Name');
        const value = file.read().parameters[name];
        if (value === undefined)
          throw new AwsFault(400, 'ParameterNotFound', `the parameter ${name} does not exist: ${HINT}`);
        return { Parameter: parameterOf(name, value) };
      },
      GetParameters(input) {
        const names = Array.isArray(input.Names) ? input.Names.map(String) : [];
        const { parameters } = file.read();
        const found = names.flatMap((name) =>
          parameters[name] === undefined ? [] : [parameterOf(name, parameters[name])],
        );
        return { Parameters: found, InvalidParameters: names.filter((name) => parameters[name] === undefined) };
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

const fileOf = ({ stateFolder }: Config) => new SecretFile(join(stateFolder, 'secrets.json'));

/** Secrets Manager. */
export const secretsManager = {
  name: 'secretsmanager',
  operations: ({ config, now }) => createSecretsManager(fileOf(config), now),
} as const satisfies LocalService;

/** Parameter Store of Systems Manager. */
export const parameterStore = {
  name: 'ssm',
  operations: ({ config, now }) => createParameters(fileOf(config), now),
} as const satisfies LocalService;
