# class: links, special files
# expect: refused 0 hashmap.cu is a symbolic link
# case: hash-map
# Hands in a symbolic link to the solution's kernel.
# Not a patch: it makes a link.
ln -sf "$root"/solutions/lab5-symmetric-memory/hashmap.cu hashmap.cu
