declare namespace jest {
  interface Expect {
    /**
     * An error with this code, whose message names these options, fields or places.
 `undefined` is the code of an error that is not ours.
     *
     * @example expect(create).toThrow(expect.failure('app.invalid_configuration', 'option "retries"'))
     */
    failure(code: string | undefined, ...names: readonly (string | RegExp)[]): Error;
  }
}
