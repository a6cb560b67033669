import { loadedModules } from '@sallyport/dynamodb-local';

it.each([
  [
    '@sallyport/microvm',
    [
      'MICROVM_CODES',
      'MICROVM_OPERATIONS',
      'MICROVM_PATH',
      'MICROVM_STATES',
      'MICROVM_TRANSITIONS',
      'MicrovmError',
      'SecretToken',
      'createAwsMicrovmProvider',
      'createDynamoMicrovmRegistry',
      'createHttpsTransport',
      'createMicrovmController',
      'internalCaller',
      'mountMicrovmController',
      'toMicrovmCaller',
      'toMicrovmState',
    ],
  ],
  ['@sallyport/microvm/hooks', ['createMicrovmHooks']],
  [
    '@sallyport/microvm/testing',
    ['createFakeMicrovmProvider', 'createMemoryMicrovmRegistry', 'microvmConformance', 'scanForLeaks'],
  ],
])('%s exports what is documented and no more', async (entry, names) => {
  expect(Object.keys((await import(entry)) as object).sort()).toEqual(names);
});

it.each(['@sallyport/microvm', '@sallyport/microvm/testing', '@sallyport/microvm/hooks'])(
  '%s loads no AWS client',
  (entry) => {
    const modules = loadedModules(entry, import.meta.url);
    expect(modules.some((url) => url.includes('/microvm/src/'))).toBe(true);
    expect(modules.filter((url) => /aws-sdk|smithy/.test(url))).toEqual([]);
  },
);

it('@sallyport/microvm/schema imports nothing', () => {
  const modules = loadedModules('@sallyport/microvm/schema', import.meta.url);
  expect(modules.filter((url) => /sallyport|packages/.test(url))).toHaveLength(1);
});
