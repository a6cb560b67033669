import * as dispatch from '@sallyport/dispatch';

describe('the root entry', () => {
  it('exports these values and no others', () => {
    expect(Object.keys(dispatch).sort()).toEqual([
      'DETECTION_TABLE',
      'createDispatcher',
      'createDispatcherWith',
      'detect',
      'explain',
    ]);
  });
});
