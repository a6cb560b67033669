// What the services import and this repository does not install. Declarations are never migrated.
declare module '@acme/lambda-kit' {
  export function once<T>(key: string, work: () => Promise<T>): Promise<T>;
  export const createApp: never;
}
declare module '@acme/lambda-kit/*';
declare module '@middy/core';
declare module '@aws-lambda-powertools/logger' {
  export class Logger {
    constructor(options: { serviceName: string });
    info(text: string, fields?: object): void;
  }
}
