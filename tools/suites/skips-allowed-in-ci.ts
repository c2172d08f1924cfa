/** Tests that CI may skip. Any other skip fails there, so a missing program cannot go unnoticed. */
export const skipsAllowedInCi: readonly { readonly name: string; readonly why: string }[] = [
  {
    name: 'the code examples > in Java, without a package: both requests are accepted',
    why: 'A JDK is hundreds of megabytes for this one program; it is run wherever there is one.',
  },
  {
    name: 'the code examples > in Go, without a package: both requests are accepted',
    why: 'The same of Go.',
  },
  {
    name: 'the checks in other languages > in Java: requests of the gateway are accepted, and changed ones are refused',
    why: 'A JDK is hundreds of megabytes; it is run wherever there is one.',
  },
  {
    name: 'the checks in other languages > in Go: requests of the gateway are accepted, and changed ones are refused',
    why: 'The same of Go.',
  },
  {
    name: 'receivers of webhooks > in Java: what is signed is accepted, and nothing else',
    why: 'A JDK is hundreds of megabytes; it is run wherever there is one.',
  },
  {
    name: 'receivers of webhooks > in Go: what is signed is accepted, and nothing else',
    why: 'The same of Go.',
  },
  {
    name: 'the code examples > in C#, without a package: both requests are accepted',
    why: 'Debian has no .NET.',
  },
];
