/** The x of keys for ECDSA whose private half anyone can look up. */
export const publishedTestKeys: ReadonlySet<string> = new Set([
  // RFC 9421 appendix B.1.3.
  'a885586552c2acf6471878cfd7b0935b4ffe0fd2dfc341248ea17bc41e058af0',
  // RFC 6979 appendices A.2.5 and A.2.6.
  '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6',
  'ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13',
  // RFC 7515 appendix A.3.
  '7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445',
  // RFC 7517 appendix A.
  '30a0424cd21c2944838a2d75c92b37e76ea20d9f00893a3b4eee8a3c0aafec3e',
  // RFC 7518 appendix C: Alice's and Bob's.
  '808d060082c176eed3e776a4ac598cc8672c1779f974eecc9b03411ca5b9495d',
  'c1e349cb61ec70248ce801034c3834e1b88ebe1161cb25af38741f785fcfc4c4',
  // RFC 9500 section 2.3.
  '422548f88fb782ffb5eca3744452c72a1e558fbd6f73be5e48e93232cc45c5b1',
  '5b0901b88523296eb919d50ffa1a9cb374bc4d409586282bfeca11b1d95adbb54734af570bf82b7228cf226bcf4c25dd',
]);
