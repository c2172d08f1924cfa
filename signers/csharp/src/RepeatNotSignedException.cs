namespace Countersign
{
    /// <summary>
    /// A request was repeated that the API may have carried out already, such as a POST whose response was lost. It was not
    /// signed again. Its code is <c>repeat_not_signed</c>.
    /// </summary>
    public sealed class RepeatNotSignedException : SigningException
    {
        internal RepeatNotSignedException(string method)
            : base(
                "repeat_not_signed",
                "This " + method + " was sent once already, and it is not known whether the API carried it out. Signing it "
                    + "again could carry it out twice, so it was not signed. Look up the outcome first, or send an "
                    + "Idempotency-Key that the API honors.")
        {
        }
    }
}
