# From `nvcc --help`, a line for each option: its long and its short name, its
# argument as nvcc writes it, or -, and the values that nvcc defines, or -.

function flush() {
    if (name)
        print name, brief, argument, values ? values : "-"
    name = values = ""
    in_values = 0
}

/^--/ {
    flush()
    name = $1
    brief = $NF
    gsub(/[()]/, "", brief)
    argument = $0
    sub(/^[^ ]+ +/, "", argument)
    sub(/ *\(?-[^ ]*\)? *$/, "", argument)
    gsub(/ /, "_", argument)
    argument = argument ? argument : "-"
    next
}
# The list may continue on the next lines.
/Allowed values for this option:/ { in_values = 1; sub(/.*option:/, "") }
/^        Default value|^ *$/ { in_values = 0 }
/^[A-Z=]/ { flush() }
in_values {
    gsub(/[ '.\t]/, "")
    values = values $0
}
END { flush() }
