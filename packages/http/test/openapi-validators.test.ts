import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { z } from 'zod';
import { bind, min, required, type StandardSchema } from '../src/index.js';
import { generateOpenAPI, generateOpenAPIJSON, type OpenApiSpec } from '../src/openapi.js';

const require = createRequire(import.meta.url);

const Tree = z.object({
  name: z.string().min(1),
  get kids() {
    return z.array(Tree);
  },
});

const spec: OpenApiSpec = {
  title: 'Notes',
  version: '1.0.0',
  routes: [
    { method: 'GET', path: '/health', operationId: 'health', summary: 'Says that all is well', tags: ['ops'] },
    {
      method: 'GET',
      path: '/notes/{id}',
      operationId: 'getNote',
      request: {
        fields: [
          { field: 'id', source: 'path', name: 'id', type: 'int', validation: { min: 1 } },
          {
            field: 'fields',
            source: 'query',
            name: 'fields',
            type: 'string',
            array: true,
            validation: { maxLength: 9 },
          },
          { field: 'wait', source: 'header', name: 'X-Wait', type: 'duration' },
        ],
      },
      response: {
        fields: [
          { field: 'id', name: 'id', type: 'int', required: true, validation: { enum: [1, 2] } },
          { field: 'etag', source: 'header', name: 'etag', type: 'string' },
        ],
      },
    },
    { method: 'GET', path: '/files/{path+}', operationId: 'getFile' },
    {
      method: 'POST',
      path: '/trees',
      operationId: 'plantTree',
      contract: bind({ body: Tree as StandardSchema, response: Tree as StandardSchema, status: 201 }, () => null)
        .contract,
    },
    {
      method: 'PUT',
      path: '/notes/{id}',
      operationId: 'putNote',
      contract: bind(
        {
          params: { id: { type: 'int', rules: [min(1)] } },
          query: z.object({ tag: z.array(z.string()).optional(), n: z.coerce.number() }),
          body: { title: { type: 'string', rules: [required()] } },
        },
        () => null,
      ).contract,
    },
    { method: 'DELETE', path: '/notes/{id}', operationId: 'deleteNote', successStatus: 204 },
  ],
};

describe('documents', () => {
  it('are valid by the schema of OpenAPI 3.1, as object and as JSON', async () => {
    for (const form of [generateOpenAPI(spec), JSON.parse(generateOpenAPIJSON(spec))]) {
      const validator = new Validator();
      const { valid, errors } = await validator.validate(form as Parameters<Validator['validate']>[0]);
      expect({ valid, errors }).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    }
  });

  it('pass the linter, which makes no network call', () => {
    const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
    const here = dirname(fileURLToPath(import.meta.url));
    try {
      writeFileSync(join(folder, 'openapi.json'), generateOpenAPIJSON(spec));
      const cli = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [
          '--require',
          join(here, 'support/no-network.cjs'),
          cli,
          'lint',
          'openapi.json',
          '--extends=spec',
          '--format=json',
        ],
        {
          cwd: folder,
          encoding: 'utf8',
          env: {
            PATH: process.env.PATH,
            HOME: folder,
            CI: 'true',
            REDOCLY_TELEMETRY: 'off',
            REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
          },
        },
      );
      expect(stderr).not.toContain('NETWORK CALL');
      expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
      expect(status).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
