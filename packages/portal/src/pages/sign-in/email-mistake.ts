/** What is wrong with an address, as far as a page can tell: whether it exists, only a mail can. */
export function emailMistake(
  email: string,
  t: { readonly required: string; readonly emailInvalid: string },
): string | undefined {
  const text = email.trim();
  if (text === '') return t.required;
  return /^[^\s@]+@[^\s@]+\.?[^\s@]*$/.test(text) ? undefined : t.emailInvalid;
}
