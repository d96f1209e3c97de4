# forwards.awk: write the headers that only include others
#
#   awk -v to=FOLDER -f forwards.awk TABLE...
#
# A line of a TABLE is HEADER TARGET...; FOLDER gets HEADER, with an #include of
# each TARGET. A header that has these contents already keeps its time stamp, so
# nothing that includes it is compiled again.

# All lines of a file, "" if there is no such file.
function contents(file,    all, line)
{
    while ((getline line < file) > 0)
        all = all line "\n"
    close(file)
    return all
}

/^#/ || NF == 0 { next }
{
    text = "/* " $1 ": see " $NF " */\n"
    gsub(/["<>]/, "", text)
    for (i = 2; i <= NF; i++)
        text = text "#include " $i "\n"
    header = to "/" $1
    if (contents(header) == text)
        next
    folder = header
    sub(/\/[^\/]*$/, "", folder)
    if (!made[folder]++)
        system("mkdir -p '" folder "'")
    printf "%s", text > header
    close(header)
}
