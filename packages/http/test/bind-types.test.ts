import { z } from 'zod';
import { bind, min, type Rule, required } from '../src/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only if the two types are equal; checked by `tsc`, not at run time. */
const same = <A, B>(answer: Same<A, B>): boolean => answer;

describe('types of bind', () => {
  it('infer the results of validators', () => {
    const handler = bind(
      {
        params: z.object({ id: z.coerce.number() }),
        query: z.object({ at: z.string().transform((value) => new Date(value)) }),
        body: z.object({ tags: z.array(z.string()) }),
      },
      (_ctx, { params, query, headers, body }) => {
        same<typeof params, { id: number }>(true);
        same<typeof query, { at: Date }>(true);
        same<typeof headers, undefined>(true);
        same<typeof body, { tags: string[] }>(true);
        return null;
      },
    );
    expect(handler).toBeInstanceOf(Function);
  });

  it('infer the results of field maps: only required fields are always present', () => {
    const wide: Rule[] = [];
    const handler = bind(
      {
        params: { id: { type: 'int' } },
        query: {
          page: { type: 'int', rules: [required(), min(1)] },
          tags: { type: 'string', array: true },
          wait: { type: 'duration', rules: [min(1)] },
          open: { type: 'bool', rules: wide },
        },
        body: { name: { type: 'string', rules: [required()] } },
        bodyOptional: true,
      },
      (_ctx, { params, query, body }) => {
        same<typeof params, { readonly id: number }>(true);
        same<typeof query.page, number>(true);
        same<typeof query.tags, readonly string[] | undefined>(true);
        same<typeof query.wait, number | undefined>(true);
        same<typeof query.open, boolean | undefined>(true);
        same<typeof body, { readonly name: string } | undefined>(true);
        return null;
      },
    );
    expect(handler).toBeInstanceOf(Function);
  });

  it('check what the handler returns against the response schema', () => {
    const response = z.object({ id: z.number() });
    bind({ response }, () => ({ id: 1 }));
    // @ts-expect-error a string is not a number
    bind({ response }, () => ({ id: 'x' }));
    bind({ response: { id: { type: 'int', rules: [required()] }, note: { type: 'string' } } }, () => ({ id: 1 }));
    // @ts-expect-error a required field is missing
    bind({ response: { id: { type: 'int', rules: [required()] } } }, () => ({}));
    const handler = bind({ response, status: 201 }, async () => ({ id: 1 }));
    expect(same<typeof handler.contract.response, typeof response>(true)).toBe(true);
  });
});
