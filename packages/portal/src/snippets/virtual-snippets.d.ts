/** The programs in each language, read from the repository's files when the portal is built. */
declare module 'virtual:snippets' {
  /** A `SnippetLanguage` for each tab, in their order. */
  const fromFiles: unknown;
  export default fromFiles;
}
