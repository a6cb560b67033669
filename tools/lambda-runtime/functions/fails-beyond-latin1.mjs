export const buffered = async () => {
  throw new Error('漢字');
};
